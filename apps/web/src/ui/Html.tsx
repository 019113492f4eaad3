import { cn } from '../lib/cn.ts'

/** Text with markup that an administrator wrote. The server has taken out whatever could act. */
export function Html({ html, className }: { html: string; className?: string }) {
  return (
    <div
      className={cn(
        'flex max-w-115 flex-col gap-2 break-words [&_a]:text-accent-text [&_a]:underline [&_h1]:text-display [&_h1]:font-semibold [&_h2]:text-xl [&_h3]:text-lg [&_img]:max-w-full [&_ol]:list-decimal [&_ol]:pl-5 [&_ul]:list-disc [&_ul]:pl-5',
        className,
      )}
      // oxlint-disable-next-line react/no-danger -- sanitised by the server on its way out
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}
