/** The page Exceptions, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class ExceptionsPage extends Frame {
  get rules(): Locator {
    return this.list(/Company and VPN names|Namen von Firma und VPN/).getByRole('listitem');
  }

  /** what is unencrypted now */
  get inForce(): Locator {
    return this.list(/Unencrypted now|Derzeit unverschlüsselt/).getByRole('listitem');
  }

  /** claims that wait for an answer */
  get waiting(): Locator {
    return this.list('Waiting for your answer');
  }

  /** claims that were answered, or need none */
  get claims(): Locator {
    return this.list('Names that VPNs and networks bring');
  }

  /** the last 30 days */
  get days(): Locator {
    return this.list(/The last 30 days|Die letzten 30 Tage/).getByRole('link');
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

  private list(name: string | RegExp): Locator {
    return this.content.getByRole('list', { name });
  }

  /** Types a name and requests what would happen to it. */
  async explain(name: string): Promise<void> {
    await this.field('Name').fill(name);
    await this.button('Check').click();
  }
}
