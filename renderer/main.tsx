/** Wiring only: the connection to the service, the state, and the page that draws it. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { openDoor } from './bridge/open-door.ts';
import { followService } from './state/service.ts';
import { openSession } from './state/session.ts';

const service = followService(openSession(openDoor()));
const place = document.getElementById('page');
if (place !== null) createRoot(place).render(<App service={service} />);
