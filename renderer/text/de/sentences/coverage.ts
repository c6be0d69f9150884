import type { coverageSentences as english } from '../../../../app/contract/sentences/coverage.ts';

export const coverage: Record<keyof typeof english, string> = {
  'dns-led-here': 'Das System-DNS führt zu Sotto ({mechanism:mechanism}).',
  'programs-ask': 'Programme dieses Rechners fragen {others}, nicht Sotto.',
  'programs-ask-unknown':
    'Programme dieses Rechners fragen keinen bekannten Resolver, nicht Sotto.',
  'programs-arrive': 'Was Programme das System fragen (getaddrinfo), kommt hier an.',
  'programs-coverage-gap': 'Was Programme das System fragen (getaddrinfo), kommt hier nicht an.',
  'nameserver-leads-here': 'Der Nameserver {server} aus /etc/resolv.conf führt hierher.',
  'nameserver-leads-past':
    '/etc/resolv.conf nennt auch {server}, der nicht hierher führt: Programme, die ihn fragen, gehen an Sotto vorbei.',
  'link-arrives': 'Was über {link} gefragt wird, kommt hier an.',
  'link-coverage-gap':
    'Was über {link} gefragt wird, kommt hier nicht an: Dessen Resolver werden direkt gefragt.',
  'browser-by-policy': '{browser} fragt einen eigenen Resolver, laut der Richtlinie {file}.',
  'browser-by-choice': '{browser} fragt einen eigenen Resolver, laut der Einstellung in {file}.',
  'docker-leads-here': 'Docker schickt seine Container hierher.',
  'docker-leads-past': 'Docker schickt seine Container zu {servers} ({file}).',
  'docker-unable':
    'Docker kann seine Container nicht zu einer Loopback-Adresse schicken und gibt ihnen einen öffentlichen Resolver.',
  'flatpaks-lead-past':
    'Flatpak führt Anwendungen mit einer eigenen Resolver-Konfiguration aus ({number} installiert): Sie fragen womöglich systemd-resolved, und das führt nicht hierher.',
  'virtual-network-leads-past':
    '{engine} schickt seine Maschinen oder Container zu {servers} ({file}).',
  'link-claims-local':
    'Die Resolver von {link} beanspruchen Namen unter .local, die dem lokalen Netz gehören (mDNS).',
  'dns-fought-for':
    'Ein anderes Programm ändert das System-DNS, und solange können Anfragen an Sotto vorbeigehen.',
  'dns-fought-for-closed':
    'Ein anderes Programm ändert das System-DNS; was an Sotto vorbei an Port 53 geht, wird abgewiesen.',
  'container-leads-past': 'Der {engine}-Container {id} fragt {servers}.',
};
