/** `programName` of a row (app/contract/query-log/asker-name.ts), as an expression in SQL. */
import { sharedGroups } from '../../contract/query-log/asker-name.ts';

/** SQLite finds no last slash: what is left of a path without the letters after that one is its folder. */
const own = "substr(executable, length(rtrim(executable, replace(executable, '/', ''))) + 1)";
const shared = sharedGroups.map((group) => `'${group}'`).join();

export const programColumn = `CASE
  WHEN program IN (${shared}) AND ${own} <> '' THEN ${own}
  WHEN container <> '' THEN container
  ELSE program END`;
