import { isAlias, isMap, isScalar, type ParsedNode, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { maxDepth, readYaml } from './read-yaml.ts';
import { isText, plainTag, readScalar, type ScalarValue, standard } from './scalars.ts';

export interface YamlTask {
  text: string;
  /** `!vault` and `!unsafe` become the marks that the engine knows in JSON; otherwise they are refused */
  engineTags?: boolean;
}

/** A list or a mapping is no name, but may be merged. */
interface Value extends Partial<ScalarValue> {
  json: string;
  entries?: Entries;
  items?: Value[];
}
/** By the ids of their names. */
type Entries = Map<string, { name: string; json: string }>;

interface Place {
  depth: number;
  /** within `!unsafe` */
  unsafe: boolean;
}

const maxReferred = 1_000_000;

/**
 * What the engine reads in a YAML text, as JSON text: so it goes from one thread to another with every digit of its
 * numbers.
 * @throws SyntaxError with the reason and the line
 */
export function yamlToJson({ text: source, engineTags = false }: YamlTask): string {
  const { document, text, lines } = readYaml(source);
  const writer = new Writer(text, engineTags);
  try {
    return writer.write(document.contents, { depth: 0, unsafe: false }).json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`${error.message} at line ${lines.linePos(writer.position).line}`, { cause: error });
  }
}

/** Goes through a document in the order of its text, since an alias means what stands before it. */
class Writer {
  position = 0;
  readonly #text: string;
  readonly #engineTags: boolean;
  /** values once they are complete */
  readonly #anchors = new Map<string, { unsafe: boolean; value?: Value }>();
  #referredLength = 0;

  constructor(text: string, engineTags: boolean) {
    this.#text = text;
    this.#engineTags = engineTags;
  }

  write(node: ParsedNode | null, place: Place): Value {
    if (!node) return readScalar(standard('null'), '')!;
    [this.position] = node.range;
    if (isAlias(node)) return this.#referred(node.source, place);
    if (place.depth > maxDepth) throw new SyntaxError(`nested deeper than ${maxDepth} levels`);
    const { anchor } = node;
    if (anchor === undefined) return this.#content(node, place);
    if (this.#anchors.has(anchor)) throw new SyntaxError(`anchor ${anchor} is set twice`);
    const anchored: { unsafe: boolean; value?: Value } = { unsafe: place.unsafe };
    this.#anchors.set(anchor, anchored);
    anchored.value = this.#content(node, place);
    return anchored.value;
  }

  #referred(anchor: string, { unsafe }: Place): Value {
    const { value, unsafe: wasUnsafe } = this.#anchors.get(anchor) ?? {};
    if (!value)
      throw new SyntaxError(`alias ${anchor} stands ${wasUnsafe === undefined ? 'before' : 'in'} what it refers to`);
    // the engine takes both for what it happens to read first
    if (unsafe !== wasUnsafe) throw new SyntaxError(`alias ${anchor} is on the other side of an !unsafe`);
    // aliases of aliases multiply
    this.#referredLength += value.json.length;
    if (this.#referredLength > maxReferred)
      throw new SyntaxError(`its aliases refer to over ${maxReferred} characters`);
    return value;
  }

  #content(node: Scalar.Parsed | YAMLMap.Parsed | YAMLSeq.Parsed, { depth, unsafe }: Place): Value {
    const place = { depth: depth + 1, unsafe: unsafe || node.tag === '!unsafe' };
    if (isScalar(node)) return this.#scalar(node, place);
    const tag = node.tag === '!unsafe' && this.#engineTags ? undefined : node.tag;
    if (isMap(node)) return tag === undefined || tag === standard('map') ? this.#mapping(node, place) : refuseTag(tag);
    if (tag !== undefined && tag !== standard('seq')) return refuseTag(tag);
    const items = node.items.map((item) => this.write(item, place));
    return { json: `[${items.map(({ json }) => json)}]`, items };
  }

  #scalar(node: Scalar.Parsed, { unsafe }: Place): Value {
    const text = this.#source(node);
    const tag = tagOf(node);
    if (this.#engineTags && (tag === '!vault' || tag === '!vault-encrypted')) {
      if (!isText(text)) throw new SyntaxError(`${tag} takes a text`);
      return { json: `{"__ansible_vault":${JSON.stringify(text)}}` };
    }
    const meant = this.#engineTags && tag === '!unsafe' ? plainTag(text) : tag;
    const value = readScalar(meant, text) ?? refuseTag(tag);
    return unsafe && meant === standard('str') ? { ...value, json: `{"__ansible_unsafe":${value.json}}` } : value;
  }

  /** The last line of a block text is broken off only where the whole text is. */
  #source({ source, type, range }: Scalar.Parsed): string {
    const last = type?.startsWith('BLOCK') && range[1] === this.#text.length && !this.#text.endsWith('\n');
    return last ? source.replace(/\n$/, '') : source;
  }

  /** The last of the same names counts, as the engine has it, and what is merged counts less. */
  #mapping({ items }: YAMLMap.Parsed, place: Place): Value {
    const merged: Entries[] = [];
    const own: Entries = new Map();
    for (const { key, value } of items) {
      const tag = isScalar(key) && tagOf(key);
      if (tag === standard('merge')) for (const one of mergeable(this.write(value, place))) merged.push(one);
      else {
        const name = tag === standard('value') ? readScalar(standard('str'), '=')! : this.write(key, place);
        put(own, name, this.write(value, place).json);
      }
    }
    const entries: Entries = new Map();
    for (const layer of [...merged, own]) for (const [id, { name, json }] of layer) put(entries, { id, name }, json);
    return { json: `{${[...entries.values()].map(({ name, json }) => `${name}:${json}`)}}`, entries };
  }
}

/** The first name stays where a later one is the same to Python. */
function put(entries: Entries, { id, name }: Partial<ScalarValue>, json: string): void {
  if (id === undefined || name === undefined) throw new SyntaxError('a name must be a single value');
  entries.set(id, { name: entries.get(id)?.name ?? name, json });
}

/** What `<<` takes of it; of a list the first counts most. */
function mergeable({ entries, items }: Value): Entries[] {
  if (entries) return [entries];
  return (items ?? [{ json: '' }]).toReversed().map((item) => {
    if (item.entries) return item.entries;
    throw new SyntaxError('<< takes a mapping or a list of mappings');
  });
}

/** Also a quoted text may be told to be taken as if it were plain. */
function tagOf({ tag, type, source }: Scalar.Parsed): string {
  const isPlain = type === 'PLAIN';
  if (tag === undefined ? isPlain : tag === '!' && !(isPlain && source === '')) return plainTag(source);
  return tag === undefined || tag === '!' ? standard('str') : tag;
}

function refuseTag(tag: string): never {
  throw new SyntaxError(`variables cannot hold what is tagged ${tag.replace(standard(''), '!!')}`);
}
