/** New inputs from old ones, by chance that a seed decides. Pure. */

/** Numbers from 0 to below `most`, the same for the same seed (mulberry32). */
export function chance(seed: number): (most: number) => number {
  let state = seed >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

type Chance = ReturnType<typeof chance>;

/** Octets that parsers and people read differently, and the words of the format. */
const words: readonly Buffer[] = [
  ...[
    '"settings"',
    '"networks"',
    '"match"',
    '"downgrade"',
    '"downgrаde"',
    '"d\\u043ewngrade"',
    '"bypass"',
    '"rungs"',
  ],
  ...['"value"', '"lock"', '"until"', '"strict"', '"upstreams"', '"queryLog.mode"', '"__proto__"'],
  ...[
    '"fallback"',
    '"refuse"',
    '"locked"',
    '"hidden"',
    '"default"',
    '"udp"',
    'true',
    'null',
    '[]',
    '{}',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '//',
    '/*',
    '*/',
    '\n',
    '1e999',
    '-0',
    '9007199254740993',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u00ad',
    '\ufeff',
    '\0',
    '\\u0000',
    '\\ud800',
    '\\udfff',
    '\u2028',
  ],
  ...['[{"suffix":".","to":["192.0.2.53"],"downgrade":true}]', '"2026-01-01T00:00:00Z"'],
]
  .map((word) => Buffer.from(word))
  .concat([
    Buffer.from([0xc0, 0xaf]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xf4, 0x90, 0x80, 0x80]),
    Buffer.from([0xff, 0xfe]),
  ]);

const mutations: readonly ((octets: Buffer, pick: Chance, other: Buffer) => Buffer)[] = [
  (octets, pick) => {
    const changed = Buffer.from(octets);
    if (changed.length > 0) changed[pick(changed.length)] = pick(256);
    return changed;
  },
  (octets, pick) => {
    const [from, to] = span(octets, pick);
    return Buffer.concat([octets.subarray(0, from), octets.subarray(to)]);
  },
  (octets, pick) => {
    const [from, to] = span(octets, pick);
    return Buffer.concat([octets.subarray(0, to), octets.subarray(from)]);
  },
  (octets, pick) => {
    const at = pick(octets.length + 1);
    return Buffer.concat([
      octets.subarray(0, at),
      words[pick(words.length)] ?? Buffer.alloc(0),
      octets.subarray(at),
    ]);
  },
  (octets, pick) => {
    const places = [...octets.toString('latin1').matchAll(/"[^"]*"|true|false|\d+/g)];
    const place = places[pick(places.length)];
    if (place === undefined) return octets;
    const word = words[pick(words.length)] ?? Buffer.alloc(0);
    const end = place.index + place[0].length;
    return Buffer.concat([octets.subarray(0, place.index), word, octets.subarray(end)]);
  },
  (octets, pick, other) => {
    const [from, to] = span(other, pick);
    const at = pick(octets.length + 1);
    return Buffer.concat([octets.subarray(0, at), other.subarray(from, to), octets.subarray(at)]);
  },
  (octets, pick) => {
    const [from, to] = span(octets, pick);
    const part = octets.subarray(from, Math.min(to, from + 64));
    const copies = part.length === 0 ? 0 : pick(Math.floor(mostOctets / part.length));
    return Buffer.concat([
      octets.subarray(0, from),
      ...Array(copies).fill(part),
      octets.subarray(to),
    ]);
  },
];

/** Of one input; a whole one may take as long as the tests say for a megabyte. */
const mostOctets = 1_048_576;

function span(octets: Buffer, pick: Chance): [number, number] {
  const from = pick(octets.length + 1);
  return [from, Math.min(octets.length, from + pick(40))];
}

export function mutate(octets: Buffer, other: Buffer, pick: Chance): Buffer {
  let made = octets;
  for (let count = 1 + pick(4); count > 0; count--)
    // The last one makes large inputs, which take most of the time.
    made = (mutations[pick(pick(50) === 0 ? 7 : 6)] as (typeof mutations)[number])(
      made,
      pick,
      other,
    );
  return made.subarray(0, mostOctets);
}
