/**
 * Parts of Node that would take time of every start. What the command line's two libraries name when they are loaded, and no command of
 * ours uses of them (6 ms), is loaded when something of it is used after all. And an ES import of `node:http` reads all that it exports,
 * so that Node loads its client for `fetch`, too (20 ms of the service's start); asked for as below it does not.
 */
import type { Plugin } from 'rolldown';

const libraries = /\/node_modules\/(commander|vscode-jsonrpc)\//;
const late = /^(node:)?(child_process|crypto)$/;
const mark = '\0late:';
const http = /^node:https?$/;
const whole = '\0whole:';

export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  resolveId(named, importer) {
    if (http.test(named)) return `${whole}${named}`;
    const [, , name] = late.exec(named) ?? [];
    return name !== undefined && libraries.test(importer ?? '') ? `${mark}${name}` : null;
  },
  load(id) {
    if (id.startsWith(whole))
      return `module.exports = process.getBuiltinModule('${id.slice(whole.length)}');`;
    if (!id.startsWith(mark)) return null;
    const part = `process.getBuiltinModule('node:${id.slice(mark.length)}')`;
    return `module.exports = new Proxy({}, { get: (_, name) => ${part}[name] });`;
  },
};
