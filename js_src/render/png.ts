// A picture of canvases as a PNG file, laid over each other on a background.

export interface Layer {
  source: CanvasImageSource;
  x: number;
  y: number;
}

export function exportPng(
  layers: readonly Layer[],
  width: number,
  height: number,
  background: string,
): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no 2D canvas.");
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  for (const { source, x, y } of layers) context.drawImage(source, x, y);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else
        reject(new Error("The browser could not make a PNG of the picture."));
    }, "image/png");
  });
}
