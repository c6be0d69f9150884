/** The dialog in which an attempt to protect this computer is followed. */
import type { Locator } from 'playwright-core';
import { HomePage } from './home-page.ts';

export class ProtectDialog extends HomePage {
  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  get outcome(): Locator {
    return this.dialog.getByRole('status').first();
  }

  /** the line for a terminal */
  get line(): Locator {
    return this.dialog.locator('code');
  }

  async pressThere(name: string): Promise<void> {
    await this.dialog.getByRole('button', { name, exact: true }).click();
  }
}
