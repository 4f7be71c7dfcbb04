// The map as a person handles it: wheel and pinch zoom, drag moves, lasso and click select, arrow keys walk.
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Icon } from "../ui/icons";
import { useTheme } from "../ui/theme";
import { cellAt, cellsWithin, labelAt, neighbour, type Layout, type Room } from "./layout";
import { EDGE, Painter, type Scene } from "./painter";

const LEAST = 0.05;
const MOST = 8;
const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Props = {
  scene: Scene;
  selected: Set<number>;
  onSelect: (cells: number[], how: "set" | "toggle" | "add") => void;
  onHover: (cell: number, at: { x: number; y: number }) => void;
  onOpen: (cell: number) => void;
  onRoom: (room: Room) => void;
  card: ReactNode; // beside the pointer
  children: ReactNode; // beside the tools
};

export function MapCanvas({ scene, selected, onSelect, onHover, onOpen, onRoom, card, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const shownLayout = useRef<Layout | null>(null);
  const [tool, setTool] = useState<"pan" | "lasso">("pan");
  const theme = useTheme();
  const gesture = useGesture(painter, canvas, scene.layout, tool, onSelect, onHover);

  useEffect(() => {
    if (!canvas.current || !place.current) return;
    const made = new Painter(canvas.current);
    painter.current = made;
    shownLayout.current = null;
    const watch = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      made.resize(width, height);
      onRoom({ w: Math.max(60, width - EDGE), h: Math.max(60, height - EDGE) });
      if (shownLayout.current) made.view = made.fit(shownLayout.current);
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
    const before = shownLayout.current;
    // new figures leave the view alone; another zone or another number of machines does not
    if (!before || before.shown.length !== scene.layout.shown.length || before.width !== scene.layout.width) {
      made.view = made.fit(scene.layout);
    }
    shownLayout.current = scene.layout;
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
          onDoubleClick={() => painter.current && painter.current.hovered >= 0 && onOpen(painter.current.hovered)}
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

function zoom(painter: Painter | null, factor: number, px: number, py: number): void {
  if (!painter) return;
  const { view } = painter;
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  // the point below the pointer stays there
  view.x += px / view.scale - px / scale;
  view.y += py / view.scale - py / scale;
  view.scale = scale;
  painter.move();
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

/** One pointer drags or draws a lasso, two pinch; a press without a movement is a click. */
function useGesture(
  painter: React.RefObject<Painter | null>,
  canvas: React.RefObject<HTMLCanvasElement | null>,
  layout: Layout,
  tool: "pan" | "lasso",
  onSelect: Props["onSelect"],
  onHover: Props["onHover"],
) {
  const down = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const at = (event: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const onMap = (made: Painter, point: { x: number; y: number }) => ({
    x: made.view.x + point.x / made.view.scale,
    y: made.view.y + point.y / made.view.scale,
  });

  return {
    onPointerDown: (event: PointerEvent) => {
      const made = painter.current;
      if (!made || event.button > 0) return;
      canvas.current?.setPointerCapture(event.pointerId);
      const point = at(event);
      down.current.set(event.pointerId, point);
      moved.current = 0;
      if (tool === "lasso" || event.shiftKey) {
        const { x, y } = onMap(made, point);
        made.lasso = { x0: x, y0: y, x1: x, y1: y };
      }
    },
    onPointerMove: (event: PointerEvent) => {
      const made = painter.current;
      if (!made) return;
      const point = at(event);
      const before = down.current.get(event.pointerId);
      if (!before) {
        const { x, y } = onMap(made, point);
        const cell = cellAt(layout, x, y);
        if (cell !== made.hovered) {
          made.hovered = cell;
          made.paint();
        }
        onHover(cell, point);
        return;
      }
      moved.current += Math.abs(point.x - before.x) + Math.abs(point.y - before.y);
      const others = [...down.current].filter(([id]) => id !== event.pointerId);
      const other = others[0]?.[1];
      if (other) {
        const apart = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
        zoom(made, apart(point) / apart(before), (point.x + other.x) / 2, (point.y + other.y) / 2);
      } else if (made.lasso) {
        const { x, y } = onMap(made, point);
        made.lasso = { ...made.lasso, x1: x, y1: y };
        made.paint();
      } else {
        made.view.x -= (point.x - before.x) / made.view.scale;
        made.view.y -= (point.y - before.y) / made.view.scale;
        made.move();
      }
      down.current.set(event.pointerId, point);
    },
    onPointerUp: (event: PointerEvent) => {
      const made = painter.current;
      if (!made || !down.current.delete(event.pointerId)) return;
      const { x, y } = onMap(made, at(event));
      const lasso = made.lasso;
      made.lasso = null;
      made.paint();
      if (moved.current < 5) {
        const rack = labelAt(layout, x, y);
        const cell = cellAt(layout, x, y);
        if (cell >= 0) onSelect([cell], "toggle");
        else if (rack) onSelect([...rack.cells], event.shiftKey ? "add" : "set");
        else onSelect([], "set");
      } else if (lasso) onSelect(cellsWithin(layout, lasso), event.shiftKey ? "add" : "set");
    },
    onPointerCancel: (event: PointerEvent) => {
      down.current.delete(event.pointerId);
      if (painter.current) painter.current.lasso = null;
    },
    onPointerLeave: () => {
      if (!painter.current || down.current.size) return;
      painter.current.hovered = -1;
      painter.current.paint();
      onHover(-1, { x: 0, y: 0 });
    },
  };
}
