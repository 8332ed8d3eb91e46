/** `1 name`, `2 names`: as English and German have it. */
export const plural = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`
