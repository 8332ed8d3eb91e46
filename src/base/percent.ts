/** The text without percent-encoding (RFC 3986 §2.1); as it is, where a percent sign begins no escape. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
