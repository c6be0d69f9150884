/** Settings in force: a row each, and below it the parts of those that are lists of rules or servers. */
import type { EffectiveSetting } from '../../contract/settings/settings-methods.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { renderTable } from '../terminal/table.ts';

export function renderSettings(settings: readonly EffectiveSetting[]): string[] {
  const columns = ['setting', 'value', 'from', 'lock'].map((title) => ({ title }));
  const [head = '', ...rows] = renderTable(columns, settings.map(settingRow));
  return [
    head,
    ...rows.flatMap((row, index) => [
      row,
      ...partsOf(settings[index]?.value).map((part) => `    ${part}`),
    ]),
  ];
}

function settingRow({
  key,
  value,
  unit,
  source,
  locked,
  lockedBy,
  reason,
}: EffectiveSetting): string[] {
  const parts = partsOf(value).length;
  const whole = parts === 0 ? JSON.stringify(value) : `${parts} below`;
  const by = lockedBy === null ? '' : ` by ${lockedBy}`;
  const why = reason === null ? '' : `: ${reason}`;
  return [
    key,
    unit === null ? whole : `${whole} ${unit}`,
    source.file === null ? source.layer : `${source.layer} (${source.file})`,
    locked ? `locked${by}${why}` : '',
  ].map(safe);
}

/** `id "quad9", transport "dot", …` for each entry of a list of objects. */
function partsOf(value: EffectiveSetting['value'] | undefined): string[] {
  if (!Array.isArray(value) || !value.some((part) => typeof part === 'object')) return [];
  return value.map((part) =>
    Object.entries(part as Record<string, unknown>)
      .map(([field, content]) => safe(`${field} ${JSON.stringify(content)}`))
      .join(', '),
  );
}
