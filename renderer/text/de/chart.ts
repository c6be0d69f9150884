import type { chart as english } from '../en/chart.ts';
import type { Translated } from '../translated.ts';

export const chart: Translated<typeof english> = {
  title: 'Anfragen',
  queries: (count, one) => (one ? '1 Anfrage' : `${count} Anfragen`),
  counting: 'Wird gezählt …',
  choose: 'Ziehen wählt eine Zeit',
  classes: {
    encrypted: 'verschlüsselt',
    cached: 'aus dem Cache',
    exceptions: 'Ausnahmen',
    unencrypted: 'unverschlüsselt',
    blocked: 'blockiert',
    failed: 'fehlgeschlagen',
  },
};
