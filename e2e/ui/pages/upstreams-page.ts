/** The Upstreams page, as a person reads and uses it. */
import type { Locator } from 'playwright-core';
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
    return this.content.getByRole('status');
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  get toasts(): Locator {
    return this.page.locator('main ~ [role="status"]');
  }

  get resolvers(): Locator {
    return this.content
      .getByRole('list', { name: 'Resolvers of the catalogue' })
      .getByRole('listitem');
  }

  async press(name: string): Promise<void> {
    await this.content.getByRole('button', { name, exact: true }).click();
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
