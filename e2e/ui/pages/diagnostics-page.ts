/** Troubleshoot, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class DiagnosticsPage extends Frame {
  get problems(): Locator {
    return this.content
      .getByRole('list', { name: /^(What is wrong|Was nicht stimmt)$/ })
      .getByRole('listitem');
  }

  /** the result of the examination, in one line */
  get result(): Locator {
    return this.content.getByRole('heading', { level: 2 }).first();
  }

  /** Shows what is fine. */
  async unfold(): Promise<void> {
    await this.content.getByText(/^(What is fine|Was in Ordnung ist) \(/).click();
  }

  /** of one check */
  finding(check: string): Locator {
    return this.content.getByRole('listitem').filter({
      has: this.page.getByRole('heading', { name: check, exact: true }),
    });
  }

  /** a section by its title */
  section(title: string): Locator {
    return this.content
      .locator('section')
      .filter({ has: this.page.getByRole('heading', { name: title, level: 2, exact: true }) });
  }

  get report(): Locator {
    return this.content.locator('pre');
  }

  async press(name: string): Promise<void> {
    await this.content.getByRole('button', { name, exact: true }).click();
  }
}
