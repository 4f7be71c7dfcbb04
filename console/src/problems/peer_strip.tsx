// A small box plot of the peers, with this machine marked.
import { t } from "../i18n";
import { number } from "../i18n/format";
import type { PeerPosition } from "../api/types";
import { valueOf } from "./evidence";

type Props = { peer: PeerPosition | null | undefined; metric: string; severity: string; width?: number };

export function PeerStrip({ peer, metric, severity, width = 90 }: Props) {
  if (!peer || peer.value === null || peer.p10 === null || peer.p90 === null) return <span className="quiet">—</span>;
  const low = Math.min(peer.min ?? peer.p10, peer.value);
  const high = Math.max(peer.max ?? peer.p90, peer.value);
  const x = (value: number | null) => 4 + (((value ?? low) - low) / (high - low || 1)) * (width - 8);
  const label = t("problem.peers.this", {
    value: valueOf(metric, peer.value),
    z: number(peer.robust_z, 1),
    pct: number(peer.percentile === null ? null : peer.percentile * (peer.percentile <= 1 ? 100 : 1)),
  });
  return (
    <svg className="strip-plot" width={width} height="16" viewBox={`0 0 ${width} 16`} role="img" aria-label={label}>
      <title>{label}</title>
      <line x1={x(peer.p10)} x2={x(peer.p90)} y1="8" y2="8" className="strip-tail" />
      <rect x={x(peer.p25)} y="4.5" width={Math.max(1.5, x(peer.p75) - x(peer.p25))} height="7" className="strip-box" />
      <line x1={x(peer.median)} x2={x(peer.median)} y1="3" y2="13" className="strip-middle" />
      <path d={`M${x(peer.value)} 1.5l3.5 5.5h-7Z`} className={`strip-this mark ${severity}`} />
    </svg>
  );
}
