/** Calls back after this many milliseconds. Does not keep the process alive. */
export const later = (span: number, work: () => void): void => void setTimeout(work, span).unref()

/** Resolves after this many milliseconds. Keeps the process alive. */
export const resolvedLater = async (span: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, span)
  })
