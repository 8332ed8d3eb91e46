import { vi } from 'vitest'

/**
 * Loads a module of the program that finds another one in the place of a module which it imports. Files share the modules of
 * their process, so what was loaded with that is not left for the next one.
 */
export async function loadedWith<T>(
  replaced: string,
  by: (original: () => Promise<unknown>) => object,
  load: () => Promise<T>,
): Promise<T> {
  vi.resetModules()
  vi.doMock(replaced, by)
  try {
    return await load()
  } finally {
    vi.doUnmock(replaced)
    vi.resetModules()
  }
}
