// Marks over a picture: lines, outlines, shades. Coordinates are device pixels.

export function verticalLine(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  bottom: number,
  colour: string,
  width = 1,
  dash: number[] = [],
): void {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  const middle = Math.floor(x) + (width % 2) / 2;
  context.moveTo(middle, top);
  context.lineTo(middle, bottom);
  context.stroke();
  context.restore();
}

/** A frame of `width` px outside a rectangle, `gap` px away from it. */
export function outline(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  colour: string,
  width: number,
  gap = 0,
): void {
  const out = gap + width / 2;
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.strokeRect(x - out, y - out, w + 2 * out, h + 2 * out);
  context.restore();
}

export function shade(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  colour: string,
): void {
  context.save();
  context.fillStyle = colour;
  context.fillRect(x, y, w, h);
  context.restore();
}
