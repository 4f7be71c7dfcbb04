// Hatching for unknown values: a pattern that needs no colour.
import { token } from "../ui/theme";

const STEP = 5;

export function hatching(context: CanvasRenderingContext2D, ratio: number): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const step = Math.round(STEP * ratio);
  tile.width = tile.height = step;
  const pen = tile.getContext("2d");
  if (!pen) return token("ink-3");
  pen.fillStyle = token("surface");
  pen.fillRect(0, 0, step, step);
  pen.strokeStyle = token("ink-3");
  pen.lineWidth = ratio;
  for (const shift of [-step, 0, step]) {
    pen.beginPath();
    pen.moveTo(shift, step);
    pen.lineTo(shift + step, 0);
    pen.stroke();
  }
  return context.createPattern(tile, "repeat") ?? token("ink-3");
}
