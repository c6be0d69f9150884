/**
 * Leaves unused constants of the contract out of the page. A bundler keeps `z.string().min(1)`, because the call could have an
 * effect; the contract's modules only define things.
 */
import type { Plugin } from 'vite';

const made: ReadonlySet<string> = new Set(['CallExpression', 'ObjectExpression']);

export function droppable(folder: string): Plugin {
  return {
    name: 'droppable',
    transform(code, id) {
      if (!id.startsWith(folder)) return null;
      const values = this.parse(code)
        .body.map((statement) => ('declaration' in statement ? statement.declaration : statement))
        .flatMap((one) => (one?.type === 'VariableDeclaration' ? one.declarations : []))
        .flatMap(({ init }) => (init !== null && made.has(init.type) ? [init] : []));
      return { code: values.reduceRight(marked, code), map: null };
    },
  };
}

function marked(code: string, { start, end }: { start: number; end: number }): string {
  const value = code.slice(start, end);
  return `${code.slice(0, start)}/* @__PURE__ */ (() => (${value}))()${code.slice(end)}`;
}
