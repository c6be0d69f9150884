/** The Settings page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class SettingsPage extends Frame {
  get search(): Locator {
    return this.content.getByRole('searchbox');
  }

  /** all settings, or all that were found */
  get settings(): Locator {
    return this.content.getByRole('listitem');
  }

  /** the setting with this name */
  setting(label: string): Locator {
    return this.settings.filter({
      has: this.page.getByRole('heading', { name: label, exact: true }),
    });
  }

  /** the error about what was typed there */
  problem(label: string): Locator {
    return this.setting(label).getByRole('alert');
  }

  get toast(): Locator {
    return this.page.getByRole('status').filter({ has: this.page.getByRole('button') });
  }
}
