import { useState } from 'react';
import { type UpstreamTransport, upstreamTransports } from '../../../app/contract/engine-words.ts';
import type { NewUpstream } from '../../../app/contract/settings/upstream-methods.ts';
import { hasTls, isPrivate } from '../../../app/contract/settings/upstream-settings.ts';
import { Field, Input, Select } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import { AddForm } from './add-form.tsx';
import type { Edits } from './use-edits.ts';

/** EncDNS servers have a zone, and come by link. */
type Addressed = Exclude<UpstreamTransport, 'encdns'>;
const addressed = upstreamTransports.filter((one): one is Addressed => one !== 'encdns');

const nothingTyped = { address: '', name: '', pins: '', id: '' };
type Typed = typeof nothingTyped;

export function AddByAddress({ edits, onClose }: { edits: Edits; onClose(): void }) {
  const { text } = useWords();
  const [transport, setTransport] = useState<Addressed>('dot');
  const [typed, setTyped] = useState(nothingTyped);
  const words = text.upstreams.add;

  const field = (key: keyof Typed, label: string, hint: string, placeholder?: string) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <Input
          {...attributes}
          placeholder={placeholder}
          value={typed[key]}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            setTyped((before) => ({ ...before, [key]: value }));
          }}
        />
      )}
    </Field>
  );

  return (
    <AddForm wanted={() => readTyped(transport, typed)} edits={edits} onClose={onClose}>
      {field('address', words.address, words.addressHint, '192.0.2.1')}
      <Field label={words.transport} hint={isPrivate(transport) ? undefined : words.clearHint}>
        {(attributes) => (
          <Select<Addressed>
            {...attributes}
            value={transport}
            options={addressed.map((one) => [one, words.transports[one]] as const)}
            onChoose={(one) => setTransport(one)}
          />
        )}
      </Field>
      {hasTls(transport) ? (
        <>
          {field('name', words.name, words.nameHint, 'dns.example.net')}
          {field('pins', words.pin, words.pinHint)}
        </>
      ) : null}
      {field('id', words.id, words.idHint)}
    </AddForm>
  );
}

/** Fields for TLS count only while a transport with TLS is chosen. */
export function readTyped(transport: Addressed, typed: Typed): NewUpstream | null {
  const addresses = several(typed.address);
  const [name, id] = [typed.name.trim(), typed.id.trim()];
  const pins = several(typed.pins);
  if (addresses.length === 0) return null;
  return {
    transport,
    address: addresses,
    ...(hasTls(transport) && name !== '' ? { name } : {}),
    ...(hasTls(transport) && pins.length > 0 ? { pins } : {}),
    ...(id === '' ? {} : { id }),
  };
}

function several(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter(Boolean);
}
