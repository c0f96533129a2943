import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

type Module = Record<string, unknown>;
type Loaded = { module: Module } | { problem: string } | null;

/** Only ever code that the service itself serves. */
async function load(address: string): Promise<Module> {
  const { origin, href } = new URL(address, location.origin);
  if (origin !== location.origin) throw new Error(`${address} is not of this service`);
  return import(/* @vite-ignore */ href);
}

/** A plugin's module, loaded when somebody first comes to it; null until then. */
export function useModule({ module: address, plugin }: { module: string; plugin: string }): Loaded {
  const loaded = useSignal<Loaded>(null);
  useEffect(() => {
    let left = false;
    load(address).then(
      (module) => void (left || (loaded.value = { module })),
      (error: Error) => {
        console.warn(`The code of plugin ${plugin} could not be loaded:`, error);
        if (!left) loaded.value = { problem: error.message };
      },
    );
    return () => void (left = true);
  }, [address]);
  return loaded.value;
}
