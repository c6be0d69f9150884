/** Whether a package with this licence (an SPDX expression) may be part of an Apache-2.0 program. */
import { type Answer, clean, found } from './answer.ts';

/** The licences of native/deny.toml for crates, and further ones of npm packages; OFL-1.1 is that of the font. */
const allowed = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'OFL-1.1',
    'Zlib',
  ],
]);

export function isAllowed(expression: string): boolean {
  const words = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (): boolean => {
    let holds = both();
    while (words[at] === 'OR') {
      at++;
      const other = both();
      holds ||= other;
    }
    return holds;
  };
  const both = (): boolean => {
    let holds = one();
    while (words[at] === 'AND') {
      at++;
      const other = one();
      holds &&= other;
    }
    return holds;
  };
  const one = (): boolean => {
    const word = words[at++];
    if (word !== '(') return word !== undefined && allowed.has(word);
    const holds = either();
    return words[at++] === ')' && holds;
  };
  const holds = either();
  return holds && at === words.length;
}

export interface Licensed {
  name: string;
  version: string;
  license: string;
}

export function readLicences(shipped: readonly Licensed[]): Answer {
  const others = shipped.filter(({ license }) => !isAllowed(license));
  if (others.length === 0) return clean(`${shipped.length} packages`);
  return found(
    others.map(({ name, version, license }) => `${name} ${version}  ${license}`).join('\n'),
  );
}
