/**
 * Parts of Node that the command line's two libraries name when they are loaded, and that no command of ours uses of them: loaded when
 * something of them is used after all. They would take six milliseconds of every start.
 */
import type { Plugin } from 'rolldown';

const libraries = /\/node_modules\/(commander|vscode-jsonrpc)\//;
const late = /^(node:)?(child_process|crypto)$/;
const mark = '\0late:';

export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  resolveId(named, importer) {
    const [, , name] = late.exec(named) ?? [];
    return name !== undefined && libraries.test(importer ?? '') ? `${mark}${name}` : null;
  },
  load(id) {
    if (!id.startsWith(mark)) return null;
    const part = `process.getBuiltinModule('node:${id.slice(mark.length)}')`;
    return `module.exports = new Proxy({}, { get: (_, name) => ${part}[name] });`;
  },
};
