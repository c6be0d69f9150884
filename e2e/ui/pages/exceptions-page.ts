/** The page Exceptions, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class ExceptionsPage extends Frame {
  get rules(): Locator {
    return this.content
      .getByRole('list', { name: /^(Company and VPN names|Namen von Firmen und VPNs)$/ })
      .getByRole('listitem');
  }

  /** what may leave unencrypted now, apart from single names */
  get now(): Locator {
    return this.content.getByRole('list', { name: 'Unencrypted now' }).getByRole('listitem');
  }

  get claims(): Locator {
    return this.content.getByRole('list', { name: 'Asked for by networks and VPNs' });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  field(name: string): Locator {
    return this.page.getByRole('textbox', { name, exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  async choose(entry: string): Promise<void> {
    await this.button('More').click();
    await this.page.getByRole('menuitem', { name: entry }).click();
  }

  /** Types a name and requests what would happen to it. */
  async explain(name: string): Promise<void> {
    await this.field('Name').fill(name);
    await this.button('Check').click();
  }
}
