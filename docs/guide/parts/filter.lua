-- filter.lua - pandoc's filter for each page: the title moves to the template, links to .md become
-- links to .html, drawings move into the page, tables, figures and formulas get a box in which they
-- scroll, and in samples for Octave prompts, input and output get classes of their own.
-- SPDX-License-Identifier: BSD-3-Clause

local up, drawings, folder = "", "", ""

-- Notes lie in notes/; a page's own folder is docs/guide/, a note's is docs/.
local function address (target)
  local inside_notes = up ~= ""
  local figure = target:match ("^[./]*bench/results/(.*%.png)$")
  if figure then
    return up .. "figures/" .. figure
  end
  local results = target:match ("^[./]*bench/results/(.*)%.csv$")
  local lesson = target:match ("^[./]*notebooks/([^/]*)%.ipynb$")
  if results then -- the machine and the command of these measurements
    return up .. "measurements.html#" .. results:gsub ("[^%w%-]", "") .. "csv"
  elseif lesson then
    return up .. "lessons/" .. lesson .. ".html"
  end
  local path, fragment = target:match ("^([^#:]*)%.md(#?.*)$")
  if not path then
    return target
  end
  local page = path:match ("^guide/(.*)$")
  if inside_notes and page then
    path = up .. page
  elseif not inside_notes and path:match ("^%.%./[^./]*$") then
    path = "notes/" .. path:sub (4)
  end
  return path .. ".html" .. fragment
end

local function escaped (text)
  return (text:gsub ("&", "&amp;"):gsub ("<", "&lt;"):gsub (">", "&gt;"))
end

-- Lines that begin with a prompt are input, the others Octave's answers. The prompt is not text, so
-- that a reader copies the input only.
local function octave_sample (block)
  local out = {}
  for line in (block.text .. "\n"):gmatch ("(.-)\n") do
    local prompt, code = line:match ("^([>.][>.]) ?(.*)$")
    if prompt then
      out[#out + 1] = string.format ('<span class="in" data-prompt="%s ">%s</span>',
                                     escaped (prompt), escaped (code))
    else
      out[#out + 1] = '<span class="out">' .. escaped (line) .. "</span>"
    end
  end
  return pandoc.RawBlock ("html", '<pre class="octave" tabindex="0"><code>'
                                    .. table.concat (out, "\n") .. "</code></pre>")
end

-- The width and height of a picture in pixels: of a PNG bytes 17 to 24 of the file, of an SVG its
-- attributes. style.css sizes pictures by the width, so that their letters stay readable.
local function natural_size (name)
  local file = assert (io.open (folder .. "/" .. name, "rb"))
  local text = file:read ("a")
  file:close ()
  if text:sub (1, 8) == "\137PNG\r\n\26\n" then
    return string.unpack (">I4I4", text, 17)
  end
  local svg = text:match ("<svg%s[^>]*>") or ""
  local width, height = svg:match ('%swidth="([%d.]+)"'), svg:match ('%sheight="([%d.]+)"')
  assert (width and height, name .. " is no PNG, and no SVG with a width and height in pixels")
  return width, height
end

-- A paragraph that is a picture becomes a figure with a caption. A drawing moves into the page, so
-- that it takes the page's colours.
local function figure (paragraph)
  local image = paragraph.content[1]
  if #paragraph.content ~= 1 or image.t ~= "Image" then
    return nil
  end
  local name = image.src:match ("^drawings/(.*)%.svg$")
  local shown, kind
  if name then
    local file = assert (io.open (drawings .. "/" .. name .. ".svg"))
    shown = pandoc.RawBlock ("html", (file:read ("a"):gsub ("<style>.-</style>\n", "")))
    file:close ()
    kind = "drawing"
  else
    local width, height = natural_size (image.src)
    image.attributes = { width = width, height = height, style = "--natural: " .. width .. "px" }
    shown = pandoc.Plain { image }
    kind = "picture"
  end
  return { pandoc.RawBlock ("html", "<figure>"),
           pandoc.Div ({ shown }, pandoc.Attr ("", { "wide", kind }, { tabindex = "0" })),
           pandoc.RawBlock ("html", "<figcaption>"), pandoc.Plain (image.caption),
           pandoc.RawBlock ("html", "</figcaption></figure>") }
end

local change = {
  Link = function (link)
    link.target = address (link.target)
    if link.target:match ("^[./]*/[^:]*%.[chmu]+$") or link.target:match ("^[./]*notebooks/teacher/") then
      -- a source, which the guide does not have
      return link.content
    end
    return link
  end,
  Image = function (image)
    image.src = address (image.src)
    return image
  end,
  CodeBlock = function (block)
    if block.classes[1] == "octave" then
      return octave_sample (block)
    end
    block.attributes.tabindex = "0"
    return block
  end,
  Math = function (math)
    if math.mathtype == "DisplayMath" then
      return pandoc.Span ({ math }, pandoc.Attr ("", { "wide" }, { tabindex = "0" }))
    end
  end,
  Table = function (t)
    return pandoc.Div ({ t }, pandoc.Attr ("", { "wide" }, { tabindex = "0" }))
  end,
}

function Pandoc (document)
  up = pandoc.utils.stringify (document.meta.up or "")
  drawings = pandoc.utils.stringify (document.meta.drawings or "")
  folder = pandoc.utils.stringify (document.meta.folder or "")
  if document.blocks[1] and document.blocks[1].t == "Header" and document.blocks[1].level == 1 then
    document.blocks:remove (1)
  end
  document = document:walk (change)
  return document:walk { Para = figure }
end
