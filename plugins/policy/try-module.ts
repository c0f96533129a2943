import { randomUUID } from 'node:crypto';
import type { Engine } from './engine/client.ts';
import { inPackage, packageOf, readPath } from './engine/module-text.ts';

/** Evaluates a text beside what is in force, in a package of its own that goes afterwards. @throws EngineError */
export async function withDraft<T>(
  engine: Engine,
  { rego_module: module, package_path: path }: { rego_module: string; package_path: string },
  work: (evaluate: (input: unknown) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const id = randomUUID().replaceAll('-', '');
  const name = `draft_${id}`;
  const below = (readPath(path) ?? []).slice(packageOf(module)?.length ?? 0);
  try {
    await engine.push(name, inPackage(module, `tapline_drafts.d${id}`));
    return await work((input) => engine.evaluate(['tapline_drafts', `d${id}`, ...below].join('/'), input));
  } finally {
    await engine.remove(name).catch(() => undefined);
  }
}
