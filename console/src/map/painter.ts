// Draws the map: thousands of cells into a picture once, and the picture on every frame while it is moved.
//
// Moving and zooming redraw only a bitmap; a moment after the last movement the bitmap is made anew, sharp.
import { token } from "../ui/theme";
import { hatching } from "./hatching";
import { CELL, endsOf, type Layout } from "./layout";
import { loudness, type Coloured } from "./measures";

export type View = { x: number; y: number; scale: number }; // the map's point at the upper left corner; pixels a unit
export type Scene = {
  layout: Layout;
  coloured: Coloured;
  nos: number[]; // of the machines, by row
  only: Set<string>;
  labels: { zone: string; rack: string };
};

const MARGIN = 0.4; // of the screen on each side, so that a drag finds something to show
const HATCH = 6;
const LARGEST = 6;
const WRITTEN = 27; // a cell as large as this has room for its figure
const PLAIN = new Set(["fine", "warm"]);
const LEAST_LOUD = 2; // pixels: seen, and still no more than it is

export const EDGE = 24; // kept free around the whole map, both sides together

export class Painter {
  private picture = document.createElement("canvas");
  private at: View = { x: 0, y: 0, scale: 1 };
  private size = { w: 0, h: 0, ratio: 1 };
  private timer: number | undefined;
  private frame: number | undefined;
  private scene: Scene | null = null;
  view: View = { x: 0, y: 0, scale: 1 };
  selected = new Set<number>();
  hovered = -1;
  lasso: { x0: number; y0: number; x1: number; y1: number } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  resize(w: number, h: number): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.size = { w, h, ratio };
    this.canvas.width = Math.max(1, Math.round(w * ratio));
    this.canvas.height = Math.max(1, Math.round(h * ratio));
    this.picture.width = Math.round(this.canvas.width * (1 + 2 * MARGIN));
    this.picture.height = Math.round(this.canvas.height * (1 + 2 * MARGIN));
    this.sharpen();
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.sharpen();
  }

  /** The view in which everything is seen. */
  fit(layout: Layout): View {
    const { w, h } = this.size;
    const fits = Math.min((w - EDGE) / Math.max(layout.width, 1), (h - EDGE) / Math.max(layout.height, 1), LARGEST);
    const scale = fits > 0 ? fits : 1;
    return { scale, x: layout.width / 2 - w / 2 / scale, y: layout.height / 2 - h / 2 / scale };
  }

  /** After the view changed: the picture as it is, moved; and a sharp one when the movement has ended. */
  move(): void {
    this.paint();
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.sharpen(), 90);
  }

  paint(): void {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  end(): void {
    window.clearTimeout(this.timer);
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
  }

  private sharpen(): void {
    if (!this.scene || !this.size.w) return;
    const { scale } = this.view;
    this.at = {
      scale,
      x: this.view.x - (this.size.w * MARGIN) / scale,
      y: this.view.y - (this.size.h * MARGIN) / scale,
    };
    const context = this.picture.getContext("2d");
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.picture.width, this.picture.height);
    this.drawCells(context, this.scene);
    this.paint();
  }

  private drawCells(context: CanvasRenderingContext2D, scene: Scene): void {
    const k = this.at.scale * this.size.ratio;
    const side = Math.max(1, CELL * k);
    const { layout, coloured, only } = scene;
    const wide = this.picture.width;
    const high = this.picture.height;
    // one colour at a time: changing it costs more than a rectangle
    const quietFirst = coloured.classes.map((cls, number) => ({ cls, number })).sort((a, b) => loudness(a.cls) - loudness(b.cls));
    quietFirst.forEach(({ cls, number }) => {
      const faded = only.size > 0 && !only.has(cls.key);
      context.globalAlpha = faded ? 0.12 : cls.hatched && side >= HATCH ? 1 : cls.hatched ? 0.5 : 1;
      context.fillStyle = cls.hatched && side >= HATCH ? hatching(context, this.size.ratio) : token(cls.colour);
      // among cells of a pixel or two what is wrong must still be seen, on a phone, too
      const edge = Math.round(Math.max(side, !faded && loudness(cls) > 1 ? LEAST_LOUD * this.size.ratio : 1));
      const out = (edge - side) / 2;
      for (const no of layout.shown) {
        if (coloured.of[no] !== number) continue;
        const x = ((layout.x[no] ?? 0) - this.at.x) * k;
        const y = ((layout.y[no] ?? 0) - this.at.y) * k;
        if (x > wide || y > high || x + side < 0 || y + side < 0) continue;
        context.fillRect(Math.round(x - out), Math.round(y - out), edge, edge);
      }
      if (side >= WRITTEN * this.size.ratio && !cls.hatched && !faded) this.writeFigures(context, scene, number, side, k);
    });
    context.globalAlpha = 1;
    this.drawNames(context, scene, k);
  }

  /** Near enough, a cell says its figure itself. */
  private writeFigures(context: CanvasRenderingContext2D, scene: Scene, cls: number, side: number, k: number): void {
    const { layout, coloured } = scene;
    context.font = `${11 * this.size.ratio}px ${token("font")}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = token(PLAIN.has(coloured.classes[cls]?.colour ?? "") ? "ink" : "ground");
    for (const no of layout.shown) {
      if (coloured.of[no] !== cls) continue;
      const x = ((layout.x[no] ?? 0) - this.at.x) * k + side / 2;
      const y = ((layout.y[no] ?? 0) - this.at.y) * k + side / 2;
      if (x > 0 && y > 0 && x < this.picture.width && y < this.picture.height) context.fillText(coloured.figure(no), x, y);
    }
    context.textAlign = "start";
  }

  private drawNames(context: CanvasRenderingContext2D, { layout, labels }: Scene, k: number): void {
    const ratio = this.size.ratio;
    context.textBaseline = "alphabetic";
    context.fillStyle = token("ink-2");
    context.font = `600 ${12 * ratio}px ${token("font")}`;
    for (const zone of layout.zones) {
      context.fillText(zone.name ?? labels.zone, (zone.x - this.at.x) * k, (zone.y + layout.zoneName - this.at.y) * k - 6 * ratio);
    }
    context.fillStyle = token("ink-3");
    context.font = `${10 * ratio}px ${token("font")}`;
    if (layout.rackName) this.nameRacks(context, layout, labels, k);
    else this.nameSomeRacks(context, layout, labels, k);
  }

  private nameRacks(context: CanvasRenderingContext2D, layout: Layout, labels: Scene["labels"], k: number): void {
    for (const rack of layout.racks) {
      const x = (rack.x - this.at.x) * k;
      const y = (rack.y + layout.rackName - this.at.y) * k - 3 * this.size.ratio;
      if (x > this.picture.width || y > this.picture.height || x + rack.w * k < 0 || y < -20) continue;
      context.fillText(clipped(context, rack.name ?? labels.rack, (rack.w + 10) * k), x, y);
    }
  }

  /** Small cells leave a line for the zone alone: in it stand as many racks' names as have room, each above its rack. */
  private nameSomeRacks(context: CanvasRenderingContext2D, layout: Layout, labels: Scene["labels"], k: number): void {
    const { ratio } = this.size;
    let line = { y: NaN, free: -Infinity };
    for (const rack of layout.racks) {
      const zone = layout.zones.find((zone) => zone.name === rack.zone);
      if (!zone || rack.y > zone.y + layout.zoneName + 0.01) continue;
      const x = (rack.x - this.at.x) * k;
      const y = (zone.y + layout.zoneName - this.at.y) * k - 4 * ratio;
      if (line.y !== y) line = { y, free: (zone.x - this.at.x) * k + (zone.name ?? labels.zone).length * 9 * ratio };
      const name = (rack.name ?? labels.rack).split("/").at(-1) ?? "";
      if (x < line.free) continue;
      context.fillText(name, x, y);
      line.free = x + context.measureText(name).width + 12 * ratio;
    }
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.scene) return;
    const { ratio } = this.size;
    const k = this.view.scale * ratio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const grown = this.view.scale / this.at.scale;
    context.imageSmoothingEnabled = grown < 1;
    context.drawImage(
      this.picture,
      (this.at.x - this.view.x) * k,
      (this.at.y - this.view.y) * k,
      this.picture.width * grown,
      this.picture.height * grown,
    );
    this.drawChosen(context, this.scene.layout, k);
  }

  private drawChosen(context: CanvasRenderingContext2D, layout: Layout, k: number): void {
    const side = Math.max(2, CELL * k);
    const box = (no: number, out: number) => {
      const x = ((layout.x[no] ?? NaN) - this.view.x) * k;
      const y = ((layout.y[no] ?? NaN) - this.view.y) * k;
      if (!(x < this.canvas.width && y < this.canvas.height && x + side > 0 && y + side > 0)) return;
      context.strokeRect(x - out, y - out, side + 2 * out, side + 2 * out);
    };
    context.lineWidth = Math.max(1, Math.min(2, k)) * 1;
    context.strokeStyle = token("ink");
    for (const no of this.selected) box(no, 0.5);
    if (this.hovered >= 0) {
      context.lineWidth = 2 * this.size.ratio;
      context.strokeStyle = token("focus");
      box(this.hovered, 1);
    }
    if (this.lasso) {
      const { x0, y0, x1, y1 } = this.lasso;
      context.lineWidth = this.size.ratio;
      context.strokeStyle = token("focus");
      context.setLineDash([4, 3]);
      context.strokeRect((x0 - this.view.x) * k, (y0 - this.view.y) * k, (x1 - x0) * k, (y1 - y0) * k);
      context.setLineDash([]);
    }
  }
}

function clipped(context: CanvasRenderingContext2D, name: string, room: number): string {
  return endsOf(name).find((end) => context.measureText(end).width <= room) ?? "";
}
