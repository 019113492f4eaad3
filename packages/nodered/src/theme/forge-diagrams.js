/* global RED, $, jQuery */
// Node-RED fetches 3.5 MB of program that draws diagrams whenever it shows a help text, so each time that an editor opens.
// Here it does so when there is a diagram to draw.
{
  const diagrams = RED.editor.mermaid
  const render = diagrams?.render
  if (render) diagrams.render = async (...places) => (hasDiagram(...places) ? render(...places) : [])

  /** Parameters as Node-RED has them: since 5.0 the first may also be the element to look in. */
  function hasDiagram(selector = '.mermaid', root = document) {
    return selector instanceof jQuery ? hasDiagram(undefined, selector) : $(root).find(selector).length > 0
  }
}
