/** Finds out which of our marks a picture on a tray is. */
import { Resvg } from '@resvg/resvg-js';
import type { ShownVerdict } from '../../app/contract/protection/verdict.ts';
import { markAsSvg, verdictMarks } from '../../app/contract/protection/verdict-marks.ts';

/** How opaque each pixel is, row by row: 0 to 255. */
export interface Picture {
  width: number;
  height: number;
  ink: Uint8Array;
}

/** The picture is ARGB, as StatusNotifierItem gives it. */
export function readPicture(width: number, height: number, octets: Uint8Array): Picture {
  return { width, height, ink: every(octets, 0) };
}

/** The mark that differs least; throws where even that differs much. */
export function nearestMark(picture: Picture): string {
  const [nearest] = (Object.keys(verdictMarks) as ShownVerdict[])
    .map((mark) => ({ mark, distance: distance(picture, drawn(mark, picture.width)) }))
    .sort((one, other) => one.distance - other.distance);
  if (nearest === undefined || nearest.distance > 12)
    throw new Error(`this is none of our marks: ${JSON.stringify(nearest)}`);
  return nearest.mark;
}

function drawn(mark: ShownVerdict, width: number): Picture {
  const image = new Resvg(markAsSvg(mark), { fitTo: { mode: 'width', value: width } }).render();
  return { width: image.width, height: image.height, ink: every(image.pixels, 3) };
}

function distance(one: Picture, other: Picture): number {
  if (one.width !== other.width || one.height !== other.height) return 255;
  const sum = one.ink.reduce((sum, ink, place) => sum + Math.abs(ink - (other.ink[place] ?? 0)), 0);
  return sum / one.ink.length;
}

/** Every fourth octet, from this one. */
function every(octets: Uint8Array, offset: number): Uint8Array {
  return octets.filter((_, place) => place % 4 === offset);
}
