// The last drawing as a picture. Moving and scaling it costs far less than drawing thousands of edges anew, so it
// stands in while the reader pans or zooms.
import type { ZoomTransform } from "d3-zoom";

const mostEnlarged = 1.8;
const leastCovered = 0.55; // of the view

export class Snapshot {
  private picture = document.createElement("canvas");
  private taken: ZoomTransform | null = null;

  take(canvas: HTMLCanvasElement, transform: ZoomTransform): void {
    if (this.picture.width !== canvas.width || this.picture.height !== canvas.height) {
      this.picture.width = canvas.width;
      this.picture.height = canvas.height;
    }
    (this.picture.getContext("2d", { alpha: false }) as CanvasRenderingContext2D).drawImage(canvas, 0, 0);
    this.taken = transform;
  }

  forget(): void {
    this.taken = null;
  }

  // Draws the picture as it would look under `transform`; false if it is too far from what was taken.
  show(context: CanvasRenderingContext2D, transform: ZoomTransform, ratio: number, paper: string): boolean {
    const { canvas } = context;
    const { taken, picture } = this;
    if (!taken || picture.width !== canvas.width || picture.height !== canvas.height) return false;
    const scale = transform.k / taken.k;
    const x = ratio * (transform.x - scale * taken.x);
    const y = ratio * (transform.y - scale * taken.y);
    const overlap = (start: number, size: number) => Math.max(0, Math.min(size, start + scale * size) - Math.max(0, start)) / size;
    const covered = overlap(x, canvas.width) * overlap(y, canvas.height);
    if (scale > mostEnlarged || covered < leastCovered) return false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, x, y, scale * picture.width, scale * picture.height);
    return true;
  }
}
