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

  async press(name: string): Promise<void> {
    await this.content.getByRole('button', { name, exact: true }).click();
  }
}
