// Colours and models for the tests of what is drawn of a lane.

import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, chunksOf, type Row } from "./model_rows";

export const RED = 0xff0000ff;
export const GREEN = 0xff00ff00;
export const BLUE = 0xffff0000;
export const GREY = 0xff808080;
export const BLACK = 0xff111111;
export const COLOURS = {
  paints: Uint32Array.of(RED, GREEN, BLUE),
  other: GREY,
  erred: BLACK,
  rest: 0x80404040,
};
export const LANE_COLOURS = { compute: COLOURS, overlay: COLOURS };

export function modelOf(rows: Row[]): TaskModel {
  const model = new TaskModel();
  for (const batch of chunksOf(rows, 1000)) model.insert(batchOf(batch));
  return model;
}

export const alpha = (pixel: number): number => pixel >>> 24;
export const colour = (pixel: number): number => (pixel | 0xff000000) >>> 0;
