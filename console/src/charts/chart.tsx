// A chart in the place that it is given, in the colours of the theme; tooltips are drawn, so that no style is inline.
import { useEffect, useRef } from "react";
import { loadChunk } from "../api/loading";
import { useTheme, token } from "../ui/theme";
import type { EChartsCoreOption } from "./echarts";

type Instance = { setOption: (option: EChartsCoreOption, o?: object) => void; resize: () => void; dispose: () => void };

export type Draw = (colour: (name: string) => string) => EChartsCoreOption;

export function Chart({ draw, label, height = 180 }: { draw: Draw; label: string; height?: number }) {
  const place = useRef<HTMLDivElement>(null);
  const instance = useRef<Instance | null>(null);
  const theme = useTheme();
  const drawing = useRef(draw);
  drawing.current = draw;

  useEffect(() => {
    let over = false;
    let watch: ResizeObserver | undefined;
    void loadChunk(() => import("./echarts")).then(({ init }) => {
      if (over || !place.current) return;
      const made = init(place.current, null, { renderer: "canvas" });
      instance.current = made;
      made.setOption(drawing.current(token));
      watch = new ResizeObserver(() => made.resize());
      watch.observe(place.current);
    });
    return () => {
      over = true;
      watch?.disconnect();
      instance.current?.dispose();
      instance.current = null;
    };
  }, []);
  useEffect(() => {
    instance.current?.setOption(draw(token), { replaceMerge: ["series"] });
  }, [draw, theme]);
  return <div ref={place} role="img" aria-label={label} className="chart" style={{ height }} />;
}
