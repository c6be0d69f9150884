/** The Diagnostics page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class DiagnosticsPage extends Frame {
  get findings(): Locator {
    return this.content.getByRole('list', { name: /Findings|Befunde/ }).getByRole('listitem');
  }

  /** of one check */
  finding(check: string): Locator {
    return this.findings.filter({
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
