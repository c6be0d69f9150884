/** The Upstreams page, as a person reads and uses it. */
import type { Locator } from 'playwright-core';
import { eventually } from '../../rig/eventually.ts';
import { Frame } from './frame.ts';

export class UpstreamsPage extends Frame {
  async show(): Promise<void> {
    await this.goTo(/^(Providers|Anbieter)$/);
  }

  get list(): Locator {
    return this.content.getByRole('list', { name: /Providers in their order|Reihenfolge/ });
  }

  /** the names, in the order of the list */
  get names(): Locator {
    return this.list.getByRole('heading', { level: 3 });
  }

  upstream(name: string): Locator {
    return this.list.locator('> li').filter({
      has: this.page.getByRole('heading', { level: 3, name, exact: true }),
    });
  }

  /** the handle for dragging it, or moving it with the arrow keys */
  grip(name: string): Locator {
    return this.content.getByRole('button', {
      name: `Move ${name}: drag it, or use the arrow keys`,
    });
  }

  /** the last change, with a button to undo it */
  get said(): Locator {
    return this.content.getByRole('status').filter({ has: this.page.getByRole('button') });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  get toasts(): Locator {
    return this.page.locator('main ~ [role="status"]');
  }

  /** of the catalogue, in the dialog */
  get offered(): Locator {
    return this.dialog.getByRole('list', { name: 'Providers of the catalogue' });
  }

  async openAdding(way?: string): Promise<void> {
    await this.press('Add …');
    if (way !== undefined) await this.dialog.getByRole('button', { name: way }).click();
  }

  /** the last 24 hours of one */
  day(name: string): Locator {
    return this.content.getByRole('slider', { name: `${name} in the last 24 hours` });
  }

  get compared(): Locator {
    return this.content.getByRole('list', { name: /^Providers by speed|Anbieter nach/ });
  }

  /** Unfolds what is folded in it. */
  async unfold(within: Locator, summary: string): Promise<void> {
    await within.locator('summary').filter({ hasText: summary }).first().click();
  }

  async press(name: string): Promise<void> {
    await this.content.getByRole('button', { name, exact: true }).click();
  }

  /** Presses the button again until it is told so: a measurement fails while the machine stands still. */
  async pressUntil(name: string, told: Locator, words: RegExp): Promise<void> {
    const button = this.content.getByRole('button', { name, exact: true });
    await eventually(`${words}`, async () => {
      if (!(await button.isEnabled())) return false;
      if (words.test((await told.allInnerTexts()).join())) return true;
      await button.click();
      return false;
    });
  }

  async confirm(name: string): Promise<void> {
    await this.dialog.getByRole('button', { name, exact: true }).click();
  }

  /** Opens the menu of an upstream and chooses one of its entries. */
  async choose(name: string, entry: string): Promise<void> {
    await this.press(`More about ${name}`);
    await this.page.getByRole('menuitem', { name: entry, exact: true }).click();
  }

  report(name: string): Locator {
    return this.content.getByRole('region', { name: `Test of ${name}` });
  }
}
