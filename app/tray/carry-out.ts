/** Carries out a click in the tray's menu. A failure is shown where the person looks next: in the window. */
import { setTimeout } from 'node:timers/promises';
import { app, clipboard } from 'electron';
import type { MethodName, Params } from '../contract/service-api.ts';
import type { LoginWindow } from './login-window.ts';
import type { PageWindow } from './page-window.ts';
import { places } from './places.ts';
import type { PortableService } from './portable-service.ts';
import type { Protecting } from './protecting.ts';
import type { Link } from './service-link.ts';
import { setStartsAtLogin } from './start-at-login.ts';
import type { TrayAction } from './tray-view.ts';

/** A service that is well replies at once, and then stops. */
const patienceMs = 2000;

interface Parts {
  link: Link;
  window: PageWindow;
  login: LoginWindow;
  service: PortableService;
  protecting: Pick<Protecting, 'begin'>;
  /** the menu may not show any more what is so */
  onDone: () => void;
}

export function createCarryOut({ link, window, login, service, protecting, onDone }: Parts) {
  return (action: TrayAction): void => {
    switch (action.do) {
      case 'call':
        void call(action.method, action.params);
        break;
      case 'open':
        window.open(action.page);
        break;
      case 'open-login':
        void openLogin();
        break;
      case 'connect':
        void link.connect();
        break;
      case 'copy-diagnostics':
        void copyDiagnostics();
        break;
      case 'start-at-login':
        setLogin(action.wanted);
        break;
      case 'protect':
        void protecting.begin(action.change);
        break;
      case 'quit':
        void quit();
    }
  };

  function setLogin(wanted: boolean): void {
    if (!setStartsAtLogin(places, wanted).ok) window.open('settings');
    onDone();
  }

  async function call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<void> {
    const result = await link.call(name, params);
    if (result.ok) return;
    onDone();
    // The page says who locked the list of providers.
    window.open(name === 'upstream.move' ? 'providers' : 'home');
  }

  /** A person asked for it, so the service that this tray started gives DNS back. */
  async function quit(): Promise<void> {
    if (service.isOurs()) {
      const asked = await Promise.race([link.call('service.stop', {}), setTimeout(patienceMs)]);
      if (asked?.ok !== true) service.end();
    }
    app.quit();
  }

  async function openLogin(): Promise<void> {
    const opened = await login.open();
    if (!opened.ok) window.open('home');
  }

  async function copyDiagnostics(): Promise<void> {
    const report = await link.call('report.compose', {});
    if (report.ok) clipboard.writeText(report.value.text);
    else window.open('diagnostics');
  }
}
