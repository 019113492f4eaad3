/** The result of one check. `todo` is the remedy. */
export interface Look {
  part: string
  ok: boolean
  seen: string
  todo?: string
  /** The server was found running. */
  runs?: boolean
}
