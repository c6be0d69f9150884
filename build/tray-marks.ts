/** Draws the tray's marks as pictures for the systems' trays: black and white, each in three densities. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import type { ShownVerdict } from '../app/contract/protection/verdict.ts';
import { markAsSvg, verdictMarks } from '../app/contract/protection/verdict-marks.ts';
import { inRoot } from './places.mjs';

const pictures = inRoot('assets', 'tray', 'png');
/** in points: 22 for trays on Linux, 16 on other systems */
const sizes = { darwin: 16, win32: 16, linux: 22 } as const;
const densities = [1, 2, 3] as const;
const inks = { black: '#000000', white: '#ffffff' } as const;

rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
for (const mark of Object.keys(verdictMarks) as ShownVerdict[]) {
  const svg = markAsSvg(mark);
  for (const density of densities) {
    const suffix = density === 1 ? '' : `@${density}x`;
    // macOS paints a template in the colour of its menu bar
    write(`${mark}Template${suffix}`, svg, inks.black, sizes.darwin * density);
    for (const [ink, colour] of Object.entries(inks))
      write(`${mark}-${ink}${suffix}`, svg, colour, sizes.linux * density);
  }
}

function write(name: string, svg: string, colour: string, pixels: number): void {
  const picture = new Resvg(svg.replaceAll('currentColor', colour), {
    fitTo: { mode: 'width', value: pixels },
  });
  writeFileSync(join(pictures, `${name}.png`), picture.render().asPng());
}
