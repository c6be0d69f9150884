/**
 * The marks of the verdicts: page and tray draw these shapes. Each is told by its shape alone, also in grey and at 18 pixels
 * (e2e/ui/marks.test.ts).
 */
import type { ShownVerdict } from './verdict.ts';

/** Length and height of the field that the paths are written for. */
export const markField = 72;

export interface Shape {
  /** the path; what it encloses twice is a hole */
  d: string;
  /** how wide its line is; absent: it is filled */
  line?: number;
  /** drawn weaker than the rest */
  isFaint?: boolean;
}

const circle = (x: number, y: number, radius: number) =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;

const ring = circle(36, 36, 30.5);
const tick = 'M19.2 39.3 24.3 34.2 31.5 41.4 48.5 24.4 53.6 29.5 31.5 51.6z';

export const verdictMarks: Readonly<Record<ShownVerdict, readonly Shape[]>> = {
  protected: [{ d: `${circle(36, 36, 33)}${tick}` }],
  /** a gap, and nothing inside */
  'not-in-use': [{ d: 'M36 5.5A30.5 30.5 0 1 1 5.5 36', line: 6 }],
  /** one quarter is open */
  partly: [
    { d: 'M34 38V3A33 33 0 1 0 69 38z' },
    { d: 'M42 4.8A30.5 30.5 0 0 1 67.2 30', line: 3.5 },
  ],
  connecting: [
    { d: ring, line: 6, isFaint: true },
    { d: 'M36 5.5A30.5 30.5 0 0 1 66.5 36', line: 7 },
  ],
  /** a notch, and a dot inside */
  choose: [{ d: 'M55 12.1A30.5 30.5 0 1 0 65.5 28', line: 6 }, { d: circle(36, 36, 10.5) }],
  unencrypted: [
    { d: ring, line: 6 },
    { d: 'M57.5 14.5 14.5 57.5', line: 6 },
  ],
  blocked: [
    {
      d: 'M13 5h46a8 8 0 0 1 8 8v46a8 8 0 0 1-8 8H13a8 8 0 0 1-8-8V13a8 8 0 0 1 8-8zM20 32v8h32v-8z',
    },
  ],
  /** a door */
  'log-in': [
    { d: 'M20 6h32a5 5 0 0 1 5 5v55H15V11a5 5 0 0 1 5-5z', line: 6 },
    { d: circle(45.5, 38, 5) },
  ],
  paused: [
    {
      d: 'M19 7h6a5 5 0 0 1 5 5v48a5 5 0 0 1-5 5h-6a5 5 0 0 1-5-5V12a5 5 0 0 1 5-5zM47 7h6a5 5 0 0 1 5 5v48a5 5 0 0 1-5 5h-6a5 5 0 0 1-5-5V12a5 5 0 0 1 5-5z',
    },
  ],
  off: [{ d: ring, line: 6 }],
  /** a ring in three pieces */
  'not-responding': [
    {
      d: 'M43 6.3A30.5 30.5 0 0 1 65.2 27.2M65.2 44.8A30.5 30.5 0 0 1 29 65.7M17 60A30.5 30.5 0 0 1 25 7.5',
      line: 6,
    },
  ],
};

/** As a file, in the colour of the text around it. */
export function markAsSvg(mark: ShownVerdict): string {
  const paths = verdictMarks[mark].map(({ d, line, isFaint }) => {
    const faint = isFaint ? ' opacity="0.35"' : '';
    const drawn =
      line === undefined
        ? 'fill="currentColor" fill-rule="evenodd"'
        : `fill="none" stroke="currentColor" stroke-width="${line}" stroke-linecap="round"`;
    return `<path d="${d}" ${drawn}${faint}/>`;
  });
  const field = `viewBox="0 0 ${markField} ${markField}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${field}>${paths.join('')}</svg>`;
}
