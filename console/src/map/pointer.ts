// The pointer on the map: drag moves, lasso and click select, two fingers pinch.
import { useRef, type MouseEvent, type PointerEvent, type RefObject } from "react";
import { cellAt, cellsWithin, labelAt } from "./layout";
import { isDimmed } from "./measures";
import type { Painter, Scene } from "./painter";
import type { How } from "./selection";

const LEAST = 0.05;
const MOST = 8;

export type MapEvents = {
  onSelect: (cells: number[], how: How) => void;
  onHover: (cell: number, at: { x: number; y: number }) => void;
  onOpen: (cell: number) => void;
};

export function zoom(painter: Painter | null, factor: number, px: number, py: number): void {
  if (!painter) return;
  const { view } = painter;
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  // the point below the pointer stays there
  view.x += px / view.scale - px / scale;
  view.y += py / view.scale - py / scale;
  view.scale = scale;
  painter.move();
}

/** One pointer drags or draws a lasso, two pinch; a press without a movement is a click. */
export function useGesture(
  painter: RefObject<Painter | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  scene: Scene,
  tool: "pan" | "lasso",
  { onSelect, onHover, onOpen }: MapEvents,
) {
  const { layout } = scene;
  const down = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const at = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const onMap = (made: Painter, point: { x: number; y: number }) => ({
    x: made.view.x + point.x / made.view.scale,
    y: made.view.y + point.y / made.view.scale,
  });

  // machines that the legend's filter dims are not selected by dragging
  const meant = (cells: Iterable<number>) => [...cells].filter((no) => !isDimmed(scene.coloured, scene.only, no));

  return {
    onDoubleClick: (event: MouseEvent) => {
      if (!painter.current) return;
      const { x, y } = onMap(painter.current, at(event));
      const cell = cellAt(layout, x, y);
      if (cell >= 0) onOpen(cell);
    },
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
        else if (rack) onSelect(meant(rack.cells), event.shiftKey ? "add" : "set");
        else onSelect([], "set");
      } else if (lasso) onSelect(meant(cellsWithin(layout, lasso)), event.shiftKey ? "add" : "set");
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
