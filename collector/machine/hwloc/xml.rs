//! The XML of hwloc as a tree of objects, distance matrices and CPU kinds; nothing is interpreted yet.

use crate::error::MachineError;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::BTreeMap;
use wastenot_topology::CpuSet;

/// hwloc itself nests some 20 deep; deeper is not a topology.
const DEEPEST: usize = 100;

/// An element, its attributes, text and children.
pub(super) struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
    pub children: Vec<Element>,
    /// Byte of the file at which its start tag ends.
    pub offset: u64,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Type of an `object` element; empty for others.
    pub fn kind(&self) -> &str {
        if self.name == "object" { self.attribute("type").unwrap_or_default() } else { "" }
    }

    /// Value of the `info` child of that name.
    pub fn info(&self, name: &str) -> Option<&str> {
        let infos = self.children.iter().filter(|c| c.name == "info");
        infos.into_iter().find(|c| c.attribute("name") == Some(name))?.attribute("value")
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, MachineError> {
        let parse = |text: &str| {
            text.parse().map_err(|_| MachineError::hwloc(self.offset, format!("{name}=\"{text}\" is not a number")))
        };
        self.attribute(name).map(parse).transpose()
    }

    /// A bitmap such as `0x000000ff,0xffffffff`.
    pub fn bitmap(&self, name: &str) -> Result<Option<CpuSet>, MachineError> {
        let parse = |text: &str| {
            CpuSet::parse_mask(text)
                .map_err(|_| MachineError::hwloc(self.offset, format!("{name}=\"{text}\" is not a finite bitmap")))
        };
        self.attribute(name).map(parse).transpose()
    }
}

/// Parses a document whose root is `topology` of version 2.
pub(super) fn parse(text: &str) -> Result<Element, MachineError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let event = reader.read_event();
        let offset = reader.buffer_position();
        match event.map_err(|error| MachineError::hwloc(reader.error_position(), error.to_string()))? {
            Event::Start(start) => {
                if open.len() == DEEPEST {
                    return Err(MachineError::hwloc(offset, format!("more than {DEEPEST} elements inside each other")));
                }
                open.push(element(&start, offset, open.is_empty())?);
            }
            Event::Empty(start) => {
                let element = element(&start, offset, open.is_empty())?;
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Err(MachineError::hwloc(offset, "the topology is empty")),
                }
            }
            Event::End(_) => {
                let done = open.pop().ok_or_else(|| MachineError::hwloc(offset, "an end tag too many"))?;
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(done),
                }
            }
            Event::Text(content) => {
                if let Some(parent) = open.last_mut() {
                    parent.text.push_str(&content.xml10_content());
                } else if !content.xml10_content().trim().is_empty() {
                    return Err(MachineError::hwloc(offset, "text where an XML document should begin"));
                }
            }
            Event::DocType(doctype) if doctype.xml10_content().contains('[') => {
                return Err(MachineError::hwloc(offset, "a document type with declarations of its own is refused"));
            }
            Event::GeneralRef(_) => return Err(MachineError::hwloc(offset, "an entity outside an attribute")),
            Event::Eof if open.is_empty() => return Err(MachineError::hwloc(offset, "no topology element")),
            Event::Eof => return Err(MachineError::hwloc(offset, "the file ends inside the topology (truncated)")),
            Event::DocType(_) | Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

fn element(start: &BytesStart<'_>, offset: u64, is_root: bool) -> Result<Element, MachineError> {
    let name = start.name().as_ref().to_owned();
    if is_root && name != "topology" {
        return Err(MachineError::hwloc(offset, format!("the root element is {name}, not topology")));
    }
    let mut attributes = BTreeMap::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| MachineError::hwloc(offset, error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.map_err(|error| MachineError::hwloc(offset, error.to_string()))?;
        attributes.insert(attribute.key.as_ref().to_owned(), value.into_owned());
    }
    let element = Element { name, attributes, text: String::new(), children: Vec::new(), offset };
    match element.attribute("version") {
        Some(version) if is_root && !version.starts_with("2.") => {
            Err(MachineError::hwloc(offset, format!("topology version {version}, not 2")))
        }
        None if is_root => Err(MachineError::hwloc(offset, "topology without a version: hwloc 1 wrote it")),
        _ => Ok(element),
    }
}
