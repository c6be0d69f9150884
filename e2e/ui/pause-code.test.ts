/** A pause by the code of a help desk, as a person does it in the window. */
import { join } from 'node:path';
import { it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'a pause that needs a code', () => {
  const stage = uiStage();

  it('shows what to read out, says that a code is wrong, and pauses with the right one', async () => {
    const service = await stage.startService({ pause: 'code' });
    const inHome = (name: string) => join(service.home, name);
    const home = new HomePage(await stage.open(service));
    await expectText(home.state, 'Not in use yet');
    await home.choose('Pause', 'for 15 minutes');
    await expectText(
      home.page.getByRole('status').filter({ hasText: 'code' }),
      /no code can be checked here/,
    );

    const secret = inHome('help-desk.secret');
    await service.cli('pause-code', 'keygen', secret);
    await service.cli('pause-code', 'key', inHome('pause.key'), '--secret', secret);
    await home.choose('Pause', 'for 15 minutes');
    const dialog = home.page.getByRole('dialog', { name: 'Pause for 15 minutes' });
    await expectText(dialog, 'Read this to your help desk');
    await expectAccessible(home.page);
    const challenge = (await dialog.locator('code').textContent()) ?? '';

    const code = dialog.getByLabel('Code of your help desk');
    await code.fill('not yet');
    await code.press('Enter');
    await expectText(dialog.getByRole('alert'), /a code has eight letters and digits/);
    const answer = await service.cli('pause-code', 'answer', challenge, '--key', secret, '--json');
    await code.fill((JSON.parse(answer.stdout) as { code: string }).code.toLowerCase());
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await expectText(home.state, /Paused/);
    await expectGone(dialog);

    await service.stop();
  });
});
