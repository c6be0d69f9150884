/**
 * What the page sees of the world outside: the contract with the service, as messages, and a few wishes to the tray, which
 * hold nothing but a word or a switch. The other ends of these channels are app/tray/page-channel.ts and page-wishes.ts; both ends
 * check what they get.
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
  askAuthority: (change: unknown): Promise<unknown> =>
    ipcRenderer.invoke(channels.askAuthority, change),
  stopAsking: (): void => ipcRenderer.send(channels.stopAsking),
  startService: (): Promise<unknown> => ipcRenderer.invoke(channels.startService),
  startsAtLogin: (): Promise<unknown> => ipcRenderer.invoke(channels.startAtLogin),
  setStartsAtLogin: (wanted: unknown): Promise<unknown> =>
    ipcRenderer.invoke(channels.setStartAtLogin, wanted),
  showsNotices: (): Promise<unknown> => ipcRenderer.invoke(channels.notices),
  setShowsNotices: (wanted: unknown): Promise<unknown> =>
    ipcRenderer.invoke(channels.setNotices, wanted),
});
