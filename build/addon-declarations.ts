/**
 * TypeScript declarations from the lines that napi-derive writes: one JSON object for each exported item, with its signature in
 * TypeScript. This file puts methods into their classes, in a stable order.
 */
import { z } from 'zod';

const item = z.object({
  kind: z.enum(['struct', 'impl', 'fn', 'interface', 'type']),
  name: z.string(),
  js_doc: z.string(),
  def: z.string(),
});
type Item = z.infer<typeof item>;

const header = `// Written by \`npm run boundary\` from native/binding/src; changes belong there.
import type * as engine from '../../app/service/engine/boundary.ts';
import type * as kernel from '../../app/service/network/kernel-network.ts';

type Json<T> = engine.Json<T>;
`;

export function declarations(lines: string): string {
  const items = withoutRepeats(lines).map((line) => item.parse(JSON.parse(line)));
  const members = Map.groupBy(
    items.filter(({ kind }) => kind === 'impl'),
    ({ name }) => name,
  );
  const declared = items
    .filter(({ kind }) => kind !== 'impl')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((found) => found.js_doc + declaration(found, members.get(found.name) ?? []));
  return withoutRawIdentifiers([header, ...declared].join('\n'));
}

function declaration({ kind, name, def }: Item, methods: Item[]): string {
  if (kind === 'fn') return `export declare ${def}\n`;
  if (kind === 'type') return `export type ${name} = ${def}\n`;
  if (kind === 'interface') return `export interface ${name} ${block(def)}`;
  return `export declare class ${name} ${block([def, ...methods.map((method) => method.def)].join('\n'))}`;
}

function block(members: string): string {
  const lines = members.split('\n').filter((line) => line.trim() !== '');
  return `{\n${lines.map((line) => `  ${line.trim()}\n`).join('')}}\n`;
}

/** A parameter that Rust must write as `r#type` is `type` in TypeScript; napi-derive does not translate that. */
function withoutRawIdentifiers(text: string): string {
  return text.replaceAll(/\br#(?=\w)/g, '');
}

/** A library and its tests, compiled side by side, write the same lines twice. */
function withoutRepeats(lines: string): string[] {
  return [...new Set(lines.split('\n').filter(Boolean))];
}
