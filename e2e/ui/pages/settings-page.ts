/** The Settings page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class SettingsPage extends Frame {
  get search(): Locator {
    return this.content.getByRole('searchbox');
  }

  /** those that are not folded, or all that were found */
  get settings(): Locator {
    return this.content.getByRole('listitem');
  }

  /** the setting with this name */
  setting(label: string): Locator {
    return this.settings.filter({
      has: this.page.getByRole('heading', { name: label, exact: true }),
    });
  }

  /** what is folded: the groups of settings, each by its name */
  get groups(): Locator {
    return this.content.locator('summary').filter({ has: this.page.locator('strong') });
  }

  async openAll(): Promise<void> {
    for (const group of await this.groups.all()) await group.click();
  }

  /** Shows the setting's whole help and its name in the file. */
  async openDetails(label: string): Promise<void> {
    await this.setting(label).locator('summary').click();
  }

  /** the error about what was typed there */
  problem(label: string): Locator {
    return this.setting(label).getByRole('alert');
  }

  get toast(): Locator {
    return this.page.getByRole('status').filter({ has: this.page.getByRole('button') });
  }
}
