/** Calls back after this many milliseconds, unless the result is called before. Does not keep the process alive. */
export function later(span: number, work: () => void): () => void {
  const timer = setTimeout(work, span).unref()
  return () => clearTimeout(timer)
}

/** Resolves after this many milliseconds. Keeps the process alive. */
export const resolvedLater = async (span: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, span)
  })
