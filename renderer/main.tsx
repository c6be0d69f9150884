/** Wiring only: the connection to the service, the state, and the page that draws it. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { openDoor } from './bridge/open-door.ts';
import { language } from './state/appearance.ts';
import { followService } from './state/service.ts';
import { openSession } from './state/session.ts';
import { loadLanguage } from './text/loaded.ts';

const service = followService(openSession(openDoor()));
const place = document.getElementById('page');
// Not awaited here: other scripts that import this one would have to be parted from it.
void loadLanguage(language.get()).then(() => {
  if (place !== null) createRoot(place).render(<App service={service} />);
});
