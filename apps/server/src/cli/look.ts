/** What a look at one part found. `todo` says how to mend it. */
export interface Look {
  part: string
  ok: boolean
  seen: string
  todo?: string
}
