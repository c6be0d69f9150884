/**
 * What the page sees of the world outside: the contract with the service, as messages, and nothing else. The other end of
 * these channels is app/tray/page-channel.ts; both ends check what they get against the contract.
 */
import { contextBridge, ipcRenderer } from 'electron';
import { channels } from './channels.ts';

type Tell = (name: string, payload: unknown) => void;

let tell: Tell = () => {};
let onClose: () => void = () => {};
ipcRenderer.on(channels.told, (_event, name: string, payload: unknown) => tell(name, payload));
ipcRenderer.on(channels.closed, () => onClose());

contextBridge.exposeInMainWorld('sotto', {
  connect(newTell: Tell, newOnClose: () => void): Promise<unknown> {
    tell = newTell;
    onClose = newOnClose;
    return ipcRenderer.invoke(channels.connect);
  },
  call: (name: string, params: unknown): Promise<unknown> =>
    ipcRenderer.invoke(channels.call, name, params),
  pour: (params: unknown): Promise<unknown> => ipcRenderer.invoke(channels.pour, params),
  poured: (): Promise<unknown> => ipcRenderer.invoke(channels.poured),
  stopPouring: (): void => ipcRenderer.send(channels.stopPouring),
  disconnect: (): void => ipcRenderer.send(channels.disconnect),
});
