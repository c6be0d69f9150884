/** A value of any shape in a form: the control decides, and forms hold forms. */
import { Input, Select } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import type { ValueEditorProps } from './editor-props.ts';
import { FormEditor } from './form-editor.tsx';
import { ListEditor } from './list-editor.tsx';
import { MapEditor } from './map-editor.tsx';
import { wordFor } from './setting-words.ts';
import { KeywordEditor, LinesEditor, NumberEditor } from './typed-editors.tsx';
import { readChoice } from './typed-value.ts';
import { WordsEditor } from './words-editor.tsx';

export function ValueEditor(props: ValueEditorProps) {
  const { name, control, value, disabled, attributes, onChange } = props;
  const spoken = useWords();
  switch (control.is) {
    case 'number':
      return <NumberEditor {...props} control={control} />;
    case 'lines':
      return control.keyword === null ? (
        <LinesEditor {...props} control={control} />
      ) : (
        <KeywordEditor {...props} control={control} keyword={control.keyword} />
      );
    case 'text':
      return (
        <Input
          {...attributes}
          disabled={disabled}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'choice':
      return (
        <Select
          {...attributes}
          disabled={disabled}
          value={String(value)}
          options={control.options.map((word) => [word, wordFor(name, word, spoken)] as const)}
          onChoose={(word) => onChange(readChoice(word))}
        />
      );
    case 'words':
      return <WordsEditor {...props} control={control} />;
    case 'list':
      return <ListEditor {...props} control={control} Inner={ValueEditor} />;
    case 'map':
      return <MapEditor {...props} control={control} Inner={ValueEditor} />;
    case 'form':
      return <FormEditor {...props} control={control} Inner={ValueEditor} />;
    default:
      return null;
  }
}
