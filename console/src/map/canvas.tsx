// The map: zoom by wheel or pinch, pan, lasso and click to select, arrow keys.
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Icon } from "../ui/icons";
import { useTheme } from "../ui/theme";
import { useGesture, zoom, type MapEvents } from "./pointer";
import { neighbour, type Layout, type Room } from "./layout";
import { EDGE, Painter, type Scene } from "./painter";

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Props = MapEvents & {
  scene: Scene;
  selected: Set<number>; // rows of this scene
  onRoom: (room: Room) => void;
  card: ReactNode; // beside the pointer
  children: ReactNode; // beside the tools
};

export function MapCanvas({ scene, selected, onSelect, onHover, onOpen, onRoom, card, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const shown = useRef<Scene | null>(null);
  const [tool, setTool] = useState<"pan" | "lasso">("pan");
  const theme = useTheme();
  const gesture = useGesture(painter, canvas, scene, tool, { onSelect, onHover, onOpen });

  useEffect(() => {
    if (!canvas.current || !place.current) return;
    const made = new Painter(canvas.current);
    painter.current = made;
    shown.current = null;
    const watch = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      made.resize(width, height);
      onRoom({ w: Math.max(60, width - EDGE), h: Math.max(60, height - EDGE) });
      if (shown.current) made.view = made.fit(shown.current.layout);
      made.move();
    });
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      made.end();
      painter.current = null;
    };
  }, []);

  useEffect(() => {
    const made = painter.current;
    if (!made) return;
    const before = shown.current;
    const old = before?.layout;
    // new figures leave the view alone; another zone or another number of machines does not
    if (!old || old.shown.length !== scene.layout.shown.length || old.width !== scene.layout.width) {
      made.view = made.fit(scene.layout);
    }
    // the machine that is marked stays marked, wherever its row is now
    if (before && made.hovered >= 0 && before.nos !== scene.nos) {
      made.hovered = scene.nos.indexOf(before.nos[made.hovered] ?? -1);
    }
    shown.current = scene;
    made.show(scene);
  }, [scene, theme]);

  useEffect(() => {
    if (!painter.current) return;
    painter.current.selected = selected;
    painter.current.paint();
  }, [selected]);

  useEffect(() => {
    // React's own listener is passive, and the page would scroll along
    const target = canvas.current;
    if (!target) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      zoom(painter.current, Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX, event.offsetY);
    };
    target.addEventListener("wheel", wheel, { passive: false });
    return () => target.removeEventListener("wheel", wheel);
  }, []);

  const middle = (factor: number) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box) zoom(painter.current, factor, box.width / 2, box.height / 2);
  };
  const fit = () => {
    if (!painter.current) return;
    painter.current.view = painter.current.fit(scene.layout);
    painter.current.move();
  };
  const key = (event: KeyboardEvent) => {
    const made = painter.current;
    if (!made) return;
    const step = STEPS[event.key];
    if (step) {
      made.hovered = neighbour(scene.layout, made.hovered, ...step);
      keepInSight(made, scene.layout, canvas.current);
      const { x, y } = toScreen(made, scene.layout, made.hovered);
      onHover(made.hovered, { x, y });
      made.paint();
    } else if (event.key === "Enter" && made.hovered >= 0) onSelect([made.hovered], "toggle");
    else if (event.key === "o" && made.hovered >= 0) onOpen(made.hovered);
    else if (event.key === "+" || event.key === "=") middle(1.4);
    else if (event.key === "-") middle(1 / 1.4);
    else if (event.key === "0") fit();
    else if (event.key === "Escape") onSelect([], "set");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="map-stage">
      <div className="map-place" ref={place}>
        <canvas
          ref={canvas}
          className={`map-canvas ${tool}`}
          tabIndex={0}
          role="application"
          aria-label={t("map.label", { n: number(scene.layout.shown.length) })}
          onKeyDown={key}
          {...gesture}
        />
        {card}
      </div>
      <div className="map-tools">
        <div className="segments" role="group" aria-label={t("map.tool")}>
          <button type="button" className="button" aria-pressed={tool === "pan"} onClick={() => setTool("pan")}>
            {t("map.pan")}
          </button>
          <button type="button" className="button" aria-pressed={tool === "lasso"} onClick={() => setTool("lasso")}>
            {t("map.lasso")}
          </button>
        </div>
        <div className="segments" role="group" aria-label={t("map.zoom")}>
          <button type="button" className="button" aria-label={t("map.in")} onClick={() => middle(1.4)}>
            <Icon of="plus" />
          </button>
          <button type="button" className="button" aria-label={t("map.out")} onClick={() => middle(1 / 1.4)}>
            <Icon of="minus" />
          </button>
          <button type="button" className="button" aria-label={t("map.fit")} onClick={fit}>
            <Icon of="fit" />
          </button>
        </div>
        {children}
      </div>
    </div>
  );
}

function toScreen(painter: Painter, layout: Layout, cell: number): { x: number; y: number } {
  const { view } = painter;
  return {
    x: ((layout.x[cell] ?? 0) - view.x) * view.scale,
    y: ((layout.y[cell] ?? 0) - view.y) * view.scale,
  };
}

function keepInSight(painter: Painter, layout: Layout, canvas: HTMLCanvasElement | null): void {
  const box = canvas?.getBoundingClientRect();
  if (!box) return;
  const { x, y } = toScreen(painter, layout, painter.hovered);
  const over = (at: number, size: number) => (at < 30 ? at - 30 : at > size - 30 ? at - size + 30 : 0);
  const [dx, dy] = [over(x, box.width), over(y, box.height)];
  if (!dx && !dy) return;
  painter.view.x += dx / painter.view.scale;
  painter.view.y += dy / painter.view.scale;
  painter.move();
}
