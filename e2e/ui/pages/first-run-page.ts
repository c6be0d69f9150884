/** The first run, as a person goes through it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class FirstRunPage extends Frame {
  get question(): Locator {
    return this.content.getByRole('heading', { level: 1 });
  }

  choice(name: string): Locator {
    return this.content.getByRole('radio', { name, exact: true });
  }

  button(name: string): Locator {
    return this.content.getByRole('button', { name, exact: true });
  }

  /** how the protection of this computer goes */
  get outcome(): Locator {
    return this.content.getByRole('status').first();
  }

  async press(name: string): Promise<void> {
    await this.button(name).click();
  }

  /** Unfolds what is behind the first summary with this name, of one choice if it is named. */
  async unfold(name: string, choice?: string): Promise<void> {
    const within =
      choice === undefined
        ? this.content
        : this.content
            .locator('[data-chosen]')
            .filter({ has: this.page.getByRole('radio', { name: choice, exact: true }) });
    await within.locator('summary').filter({ hasText: name }).first().click();
  }
}
